"""The adversary who knows the method: exact beliefs about θ-sensitive publications.

`beliefs` is what is asked, `runs` sums over what may have happened, `corrected` and `printed` have
the moves of Algorithm 1, `exchanging` what they share, and `reach` says from which contents a class
can come out as it was published.
"""
