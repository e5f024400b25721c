"""Makes `hangul.ttf`: the Korean letters of NanumGothic (package `fonts-nanum`, with `fonttools`).

The letters are the 2,350 syllables of KS X 1001 and the single jamo. The licence reserves the name of
the font for the whole of it, so that the part bears another.
"""

from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

SOURCE = "/usr/share/fonts/truetype/nanum/NanumGothic.ttf"
FAMILY, STYLE = "Sandbox Hangul", "Regular"
SYLLABLES = [c for c in range(0xAC00, 0xD7A4) if len(chr(c).encode("euc_kr")) == 2]
JAMO = range(0x3131, 0x3164)
# The numbers of the names in the table of names, as OpenType has them.
NAMES = {1: FAMILY, 2: STYLE, 3: FAMILY, 4: FAMILY, 6: FAMILY.replace(" ", "")}

font = TTFont(SOURCE)
options = Options(hinting=False, layout_features=[])
options.drop_tables += ["GSUB", "GPOS", "GDEF"]
subsetter = Subsetter(options)
subsetter.populate(unicodes=[*SYLLABLES, *JAMO])
subsetter.subset(font)
for record in font["name"].names:
    record.string = NAMES.get(record.nameID, record.toUnicode())
font.save(Path(__file__).with_name("hangul.ttf"))
