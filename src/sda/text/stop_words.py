"""English words that carry grammar rather than meaning, and therefore have no synonyms here.

The list names articles, pronouns, auxiliaries, prepositions, conjunctions, negations and a few
adverbs that belong to grammar. WordNet knows many of them by another meaning: "a" as a vitamin,
"in" as an inch, "it" as computing.
"""

_LISTED = """
a an the this that these those each every either neither some any no such both all few more
most many much several other another own same
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself
it its itself we us our ours ourselves they them their theirs themselves one oneself
who whom whose which what when where why how whoever whatever
am is are was were be been being have has had having do does did doing done will would shall
should can could may might must ought
about above across after against along among around as at before behind below beneath beside
besides between beyond by despite down during except for from in inside into like near of off
on onto out outside over past per since than through throughout to toward towards under
underneath until up upon via with within without
and but or nor so yet if unless because while whereas although though whether
not never none n't 'm 're 's 've 'd 'll
there here then thus too very just only again also once ever now
"""

STOP_WORDS = frozenset(_LISTED.split())
