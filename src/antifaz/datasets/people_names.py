"""Names for made-up people: common given and family names of several cultures, combined at random."""

#: Given names of women, given names of men, family names; every list of one kind is equally long.
CULTURES: dict[str, tuple[str, str, str]] = {
    "Spanish": (
        "María Carmen Ana Isabel Laura Cristina Marta Pilar Lucía Elena Raquel Sofía Inés Beatriz Rocío Begoña",
        "Antonio José Manuel Francisco David Juan Javier Daniel Carlos Jesús Alejandro Miguel Rafael Andrés Íñigo "
        "Ramón",
        "García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz Hernández Díaz "
        "Moreno Muñoz Álvarez Romero Núñez Gutiérrez",
    ),
    "Catalan and Basque": (
        "Montserrat Núria Mercè Laia Ainhoa Jordina Maite Amaia Míriam Anna Roser Eulàlia Nerea Carme Itziar Gemma",
        "Jordi Josep Xavier Marc Arnau Iker Mikel Oriol Pau Unai Andoni Lluís Ferran Gorka Àlex Bernat",
        "Puig Vila Ferrer Soler Roca Serra Etxeberria Agirre Mendizabal Font Bosch Vidal Solé Ibarra Goikoetxea Riera "
        "Camps Pujol Zabala Mas",
    ),
    "Arabic": (
        "Fátima Khadija Aicha Nadia Samira Malika Yasmina Salma Hanane Latifa Zineb Imane Karima Amina Loubna Houda",
        "Mohamed Ahmed Hassan Youssef Rachid Omar Said Mustapha Karim Abdelkader Hamza Bilal Ismaïl Noureddine Khalid "
        "Anass",
        "Alaoui Benali Bennani El_Idrissi Haddad Mansouri Tazi Chakir Berrada Saidi Ziani Amrani Bouazza Kadiri "
        "Rahmani Belkacem Cherkaoui Fassi Slimani Zerouali",
    ),
    "Eastern European": (
        "Elena Ioana Mihaela Olena Katarzyna Nataliya Daniela Agnieszka Gabriela Oksana Ștefania Małgorzata Svetlana "
        "Alina Zofia Desislava",
        "Andrei Ionuț Mihai Oleksandr Piotr Dmitri Alexandru Wojciech Ștefan Georgi Łukasz Serhiy Vasile Ivan Cătălin "
        "Bogdan",
        "Popescu Ionescu Dumitru Kovalenko Nowak Ivanov Stan Wiśniewski Shevchenko Petrov Munteanu Kowalczyk Ciobanu "
        "Georgiev Bondarenko Zieliński Rusu Dimitrov Marinescu Wójcik",
    ),
    "Western European": (
        "Emma Chloé Anna Giulia Beatriz Margaret Léa Ingrid Francesca Susan Camille Hannah Matilde Sophie Elisabeth "
        "Inês",
        "James Lucas Thomas Marco João Peter François Jürgen Alessandro Paul Étienne William Tiago Hans Matteo René",
        "Smith Martin Müller Rossi Silva Jones Dubois Schmidt Bianchi Ferreira Taylor Lefèvre Weber Ricci Gonçalves "
        "De_Vries O'Brien Moreau Schäfer Conti",
    ),
    "Chinese and Filipino": (
        "Wei Fang Na Xiuying Min Jing Li Yan Maricel Rosalie Lan Hui Xia Lourdes Ying Mei",
        "Wei Jun Lei Qiang Yong Jie Tao Ming Reynaldo Rodel Bo Chao Hao Jomar Peng Bin",
        "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Santos Reyes Cruz Bautista Xu Sun Ocampo Zhu Lin Guo",
    ),
    "South Asian": (
        "Priya Ayesha Sunita Fatima Anjali Nusrat Kavita Zainab Lakshmi Sadia Meena Rukhsana Pooja Shabnam Deepa "
        "Tahira",
        "Rahul Muhammad Amit Imran Sanjay Abdul Ravi Tariq Vijay Rafiq Arjun Bilal Suresh Kamal Anil Faisal",
        "Singh Khan Kumar Hussain Sharma Ali Patel Begum Das Ahmed Gupta Malik Rahman Iqbal Reddy Chowdhury Nair Butt "
        "Joshi Islam",
    ),
    "West African": (
        "Aminata Fatou Ngozi Mariama Chioma Aïssatou Blessing Khady Adaeze Awa Funmilayo Ndèye Ifeoma Coumba Yetunde "
        "Bineta",
        "Mamadou Ibrahima Chinedu Ousmane Emeka Cheikh Oluwaseun Moussa Modou Tunde Abdoulaye Ikenna Pape Babatunde "
        "Aliou Uche",
        "Diop Ndiaye Okafor Fall Adeyemi Sow Sarr Eze Gueye Balogun Diallo Faye Okonkwo Mbaye Ba Adebayo Cissé Thiam "
        "Nwosu Seck",
    ),
}  # fmt: skip

_BORN_IN = {
    "Western European": ("Italy", "Portugal", "France", "Germany", "Netherlands", "United Kingdom", "United States"),
    "Eastern European": ("Romania", "Bulgaria", "Poland", "Ukraine", "Russia"),
    "Arabic": ("Algeria", "Morocco"),
    "West African": ("Nigeria", "Senegal"),
    "Chinese and Filipino": ("China", "Philippines"),
    "South Asian": ("Bangladesh", "India", "Pakistan"),
}
#: The culture most people born in a country have their names from; Spain's own are drawn (see `population`).
CULTURE_OF: dict[str, str] = {country: culture for culture, countries in _BORN_IN.items() for country in countries}
#: Cultures in which people carry two family names.
TWO_FAMILIES = ("Spanish", "Catalan and Basque")


def words(text: str) -> list[str]:
    """Split a list of names; an underscore stands for a blank inside a name."""
    return [word.replace("_", " ") for word in text.split()]
