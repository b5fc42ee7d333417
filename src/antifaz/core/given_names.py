"""Frequent given names of several countries; those that are as often something else are left out."""

_WORDS = """
    aaron adam adrian adriana agnieszka agustin ahmed aisha alain albert alberto alejandro alessandra alessandro
    alexander alfonso ali alice alicia alvaro amanda amber amelie amina amparo amy ana anders andrea andreas andres
    andrew angela anil anja ann anna anthony antoine antonia antonio ariadna armando arnau arthur arturo ashley
    assumpta astrid aurelie barbara beatriz benjamin bernat berta betty beverly birgit bjorn brandon brenda brian
    brigitte brittany bruce bruno camila camille carl carlos carmen carol carolyn catalina catarina catherine celine
    cesar charles charlotte cheryl chiara chloe christian christina christine christophe christopher claire claudia
    consuelo cristina cynthia daniel daniela danielle david deborah debra denise dennis diana diane diego dieter
    dmitri dolores domingo donald donna doris dorothy douglas eduardo edward elena elijah elisa elizabeth ellen
    elodie eloi emilio emily emma encarna enric enrique eric erik ernesto esteban ethan eudald evelyn fabio fatima
    federica felix fernanda fernando ferran finn frances francesc francesca francisca francisco francoise frank
    friedrich gabriel gabriela gary gemma george gerald gerard giovanni gisela giulia giuseppe gloria goncalo
    gonzalo gregory guillaume guillem guillermo gustavo hannah hannelore hans harold hassan heather hector heike
    heinz helen helga henry hiroshi hugo ibrahim ignacio ines ingrid irene irina isabel isabella isabelle ivan jack
    jacob jacqueline jaime james jana janet janice jason jaume javier jean jeffrey jennifer jeremy jerry jessica
    jesus joan joana joao joaquin john jonas jonathan jordi jorge jose josefa josep joseph joshua joyce juan juana
    judit judith judy jules julia julian juliana julie julien jurgen justin karen karl katarzyna katherine kathleen
    kathryn katrin keith kelly kenneth kevin khadija kimberly klaus krzysztof kyle laia larissa larry lars laura
    lauren laurent lawrence lea leo leonardo leonor liam linda lisa lluis logan lorena lorenzo louis luca lucas
    lucia luciana lucy luis luisa luiz lukas malgorzata manfred manon manuel marc marco marcos margalida margaret
    margarita margaux maria mariana marie marilyn mario markus marta martha martin martine mary mason mateo matilde
    matteo matthew matthias mauricio megan melissa merce mercedes meritxell michael michel michelle miguel ming
    miquel mireia mohamed mohammed monica monika montserrat muhammad nancy natalia natalie nathalie nathan neus
    nicholas nicolas nicole nils noah noelia nuno nuria olga oliver olivia olivier omar ona oriol oscar pablo pamela
    patricia patrick pau paul paula paulo pawel pedro pere peter petra philip philippe pierre pilar piotr pol priya
    queralt quim rachel rafael rahul ramon raquel raul raymond rebecca renate ricardo richard rita robert roberto
    rodrigo roger ronald rosario roser ruben rui ruth ryan sabine salvador samantha samuel sandra sandrine sara
    sarah scott sean sebastien sergei sergi sergio sharon shirley silvia simon sofia sonia sophia sophie stefan
    stephanie stephen steven sunita susan susana sven svetlana sylvie tatiana teresa terry theresa thierry thomas
    tiago timothy tomasz tyler ulrich ursula uwe valentina valerie veronica vicente vitor vitoria walter wei william
    wolfgang xavier ximena yolanda youssef yuki zachary zoe
"""
#: Written without accents, in lower case.
FREQUENT_NAMES = frozenset(_WORDS.split())
