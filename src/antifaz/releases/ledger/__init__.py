"""The ledger's knowledge: what is kept of a release, and what several releases together give away.

Arrays in, verdicts out; where the ledger is kept is `projects/ledger.py`. The attacks are those of L. Sweeney,
"k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002 (unsorted matching, complementary release, temporal),
and the composition by intersection of S. R. Ganta, S. P. Kasiviswanathan and A. Smith, "Composition attacks and
auxiliary information in data privacy", KDD 2008.
"""
