"""The adversary who knows the method: exact beliefs about θ-sensitive publications.

`beliefs` is what is asked, `runs` sums over what may have happened, `exchanging` has the moves of
Algorithm 1 as it is meant and what it shares with `printed`, the algorithm as it stands, and
`reach` says from which contents a class can come out as it was published.
"""
