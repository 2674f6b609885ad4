"""Contact data inside cells: a labelled list, and what chance passes in columns of numbers."""

import random

from cases import cases
from stdnum import iban, luhn, verhoeff
from stdnum.cn import ric
from stdnum.es import dni
from stdnum.fr import nir

from kproof.models.judgement.cells.contacts import Contact, contacts, contacts_of, plain_text

PHONES = """
+49 30 901820|+49 (0)30 901820|+44 20 7946 0958|+1 415 555 0123|+1-415-555-0123|+33 1 23 45 67 89
+86 138 1234 5678|+91 98765 43210|+49301234567|+447911123456|+39 06 1234567|+34 612 345 678
+7 495 123-45-67|+81-3-1234-5678|+55 11 91234-5678|+41 44 123 45 67|+43 1 5123456|+31 20 1234567
+48 22 123 45 67|+46 8 123 456 78|+45 32 12 34 56|+20 2 12345678|+972-3-1234567|+90 212 123 45 67
0049 30 901820|0044 20 7946 0958|00491701234567|0033612345678|030 901820-12|030/1234567
(030) 1234567|(0221) 4710123|089-1234567|0171 1234567|0171/12 34 567|07911 123456|020 7946 0958
0161 496 0123|01632 960 001|01 23 45 67 89|01.23.45.67.89|06-12-34-56-78|0612345678|07911123456
017612345678|(415) 555-0123|415-555-0123|415.555.0123|415 555 0123|1-800-555-0199|1 800 555 0199
13812345678|138 1234 5678|138-1234-5678|010-12345678|0571-87654321|(010) 12345678|03-1234-5678
090-1234-5678|02-123-4567|010-8765-4321|8 (495) 123-45-67|8 495 123-45-67|(11) 91234-5678
tel 555-1234|Tel.: 4711 0815|phone no. 5551234|Telefon 901820|mobile 612 345 678|fax: 22 33 44 55
тел. 123-45-67|电话 87654321|手机:13912345678|whatsapp 98765 43210|call 98765 43210
móvil 612345678
Handy 0151 23456789|ring +353 1 234 5678 after six|husband 0171-5551234, works nights
seen by GP; call 020 7946 0123|Rückruf unter 0761 2031234 erbeten|联系人电话:010-65551234
téléphone 04 91 12 34 56|daughter (0121) 4960123|{flu, +49 30 901820}|{030/1234567, none}
٠٣٠ ١٢٣٤٥٦٧
０３０－１２３４５６７|+49‑30‑901820|Notfall: 0041 44 123 45 67|tel: (555) 123-4567
Tlf. 32 12 34 56|(02) 1234 5678|078 123 45 67|02 123 456|01 234567890|040 123 45 67|0450 00 12 34
(2) 2123 4567|(06 1) 234 5678|081234 56789|(0-612) 34567|01 44 12 34
"""
OTHERS = """
ann@example.org|write to ann.b+x@mail.example.co.uk|müller@beispiel.de|{ann@x.org, none}
a_b@c-d.io
ann (at) example.org|bo[at]mail.com|AnnB@EXAMPLE.COM|x@localhost.localdomain|安@例子.公司
https://www.linkedin.com/in/ann-b|facebook.com/ann.b|https://twitter.com/ann_b|x.com/annb
https://github.com/annb|instagram.com/ann.b.c|t.me/annb|https://wa.me/491701234567
example.org/~annb
https://mastodon.social/@annb|https://forum.example.org/users/annb|https://vk.com/annb
078-05-1120|SSN 219-09-9999|his 457-55-5462 on file|GB82 WEST 1234 5698 7654 32
DE89370400440532013000
FR14 2004 1010 0505 0001 3M02 606|pay to NL91ABNA0417164300|11010519491231002X|44010119851210421X
身份证 11010519491231002X|2 53 01 75 116 001 58|RSSMRA85T10A562S|131052-308T|529.982.247-25
756.9217.0769.85|811228-9874|12345678Z|2341 2341 2346|NHS 9434765919|NHS no. 943 476 5919
Steuer-ID 86095742719|PESEL 44051401359|BSN 111222333|MRN: 00471123|passport C1234567
1HGCM82633A004352|WVWZZZ1JZXW000001|4111111111111111|4111 1111 1111 1111|5500-0000-0000-0004
3400 000000 00009|card 6011000000000004 declined|京A12345|沪B·12345|AB12 CDE|LD56 XYZ|B-AB 1234
M-XY 99|HH-A 123E|AB-123-CD|plate AB 1234|Kennzeichen MZG 812|reads plate 1234 BCD|targa AB 123 CD
192.168.10.12|logged in from 84.17.23.5|2001:db8::ff00:42:8329|fe80::1ff:fe23:4567:890a
00:1a:2b:3c:4d:5e|52.5200, 13.4050|51.5074,-0.1278|lives at 40.7128; -74.0060|-33.8688, 151.2093
52°31'12"N|13°24' E|{192.168.10.12, none}|{AB12 CDE, none}
"""
NOT = """
flu|HIV|Ann|2020-01-31|31.01.2020|01/02/2020|2020-01-31 12:30:45|2020-01-31T12:30:45+01:00
31/01/2020 08:15
12:30|12:30:45|08:00-16:00|09.30-17.00|Jan 2020|2020-Q1|2019/2020|1999-2003
2020-01-31 to 2020-02-14
from 01.02.2019 until 28.02.2019|1580428800|1580428800123|20200131|20200131123045|1 h 30 min
30-06-2019 10:15
1234.50|1,234.50|1.234,50|1 234,50|1 234 567,89|1.234.567,89|1,234,567.89|$1,234.50|12.345.678
123 456 789
-1234.50|+1234567.89|+12345678|+12.5 %|12345678|1e10|1.5E-10|0.123456789|0.1234567890123|3/4
1/1000
12 500 000 EUR|EUR 1.000.000|£2,000,000|2000000000|99999999.99|(1,234.50)|(12345678)|1'234'567.50
[25-26]|[1000-2000]|[10000-20000]|10,000-20,000|1000-2000|100000-200000|[01000-01999]|20-29|>=80
<1000000
[1234567-2345678]|{[25-26], ?}|{20-29, 30-39}|100 000 - 200 000|0-14|15-64|65+|[0.1234-0.5678]
1.0-2.5
E11.9|A00-B99|C50.911|S72.001A|I25.10|Z99.89|F32.9, F41.1|J45.909|O80|M54.5|{E11.9, I10}
E11.9; I10; Z79.4
C50.911 C77.3|0DTJ4ZZ|99213|99213-25|J1100|4A023N7|8480/3|T1N0M0|pT2 N1 M0|G47.33|LOINC 2345-7
SW1A 1AA|EC1A 1BB|M1 1AE|53706|53706-1234|12345-678|1234-567|100-0001|10115|D-10115|75008
75008 Paris
K1A 0B1|1012 AB|00-950|110 00|2000|537**|5370*|8-1010 Wien|CH-8001|150-0002 Tokyo|010-0001|100001
AB-123|AB-1234|SKU-12345|X100-2000|A12-B34|978-3-16-148410-0|0-306-40615-2|9783161484100
4006381333931
7732-18-5|50-00-0|0002-3227-30|50242-040-62|12345-6789-01|0143-9924-90|10.1000/182
10.1371/journal.pone
ISBN 978-0-306-40615-7|EAN 4006381333931|UPC 036000291452|036000291452|B00X4WHP5E|P/N 123-4567-89
v1.2.3|1.2.3.4|2.0.0.1|Python 3.11.7|rev. 12.03|RFC 2616|DIN EN ISO 9001:2015|ISO 8601
Win 10.0.19045
1.2.840.113619|2.16.840.1.113883.6.96|3.14159265|12.3456|-122.4194|0.1234, 0.5678|(0.4321, 0.8765)
1.2345 (1.0123, 1.4567)|95 % CI 0.8123-1.2345|p = 0.0012|12.5, 13.4|120/80 mmHg|120/80, 130/85
37.5 °C|180 cm
500 mg 2x daily|5 mg/kg|1-0-1|1-1-1-1|10 ml 3 x/d|2 x 500 mg|100 IU|ASA 2|NYHA III|GCS 15|BMI 24.5
Hb 13.5
blood test in 3 months|seen on 2019-05-06 and 2019-06-07|next visit 12.03.2020 at 10:30
room 204 bed 3
floor 3, room 12|ward 7B|Bus 100|Route 66|B 27|A 100|Section 1.2.3.4|§ 1234 BGB|Art. 12-14
pp. 123-145
lot 123456|batch 20200131-01|order 123456-01|invoice 2020-0001234|INV-2020-00123|case 12/345/2020
12 O 345/19|1 BvR 1234/16|FY2019/20|1st|2nd|10th grade|6-pack|24/7|4x4|50/50|A4|H2O|CO2|B12|PM2.5
MP3
[10.0-20.0)|0..9|1-2-3|1,2,3,4,5,6,7,8,9|1 2 3 4 5 6 7 8 9|10 20 30 40 50|100, 200, 300, 400
12 34 56
Self-emp-not-inc|HS-grad|Married-civ-spouse|10th|Preschool|>50K|<=50K|Prof-school|Never-married
example.org|https://example.org|https://www.who.int/news/item/2020|see www.example.com/index.html
@noon
AC/DC|N/A|n/a|?|*|-|--|...|none|unknown|99|-9|999999|#REF!|NULL|TRUE|mid-1990s|c. 1850|5-10 years
a@b
reg 12|call 24 h|tel|mobile home|fax machine|phone survey 2019|call after 2020-01-31
phone bill 1,234.50
plate count 10|hotel 123456|Marshall 123|cell count 12500|telephone use 3-5 h|contact: none
mail order 12345
北京|糖尿病|2020年1月31日|第12号|100万元|3.5万|A型|B超 20200131|海淀区 100080|30-39岁|12.5 kg/m²
№ 12
"""


def cells(block: str) -> list[str]:
    return [cell for line in block.strip().splitlines() for cell in line.split("|")]


def numbers() -> list[str]:
    """Make official numbers that are valid, with a seed."""
    draw = random.Random(4)
    made = []
    for _ in range(12):
        fifteen = "4" + "".join(draw.choices("0123456789", k=14))
        made.append(fifteen + luhn.calc_check_digit(fifteen))
        body = f"11010{draw.randint(1, 9)}19{draw.randint(40, 99)}0{draw.randint(1, 9)}1"
        body += f"{draw.randint(0, 9999):04d}"
        made.append(body + ric.calc_check_digit(body + "0"))
        eight = f"{draw.randint(10**7, 10**8 - 1)}"
        made.append(eight + dni.calc_check_digit(eight))
        account = f"{draw.randint(10**17, 10**18 - 1)}"
        made.append("DE" + iban.calc_check_digits(f"DE00{account}") + account)
        national = f"2{draw.randint(10, 99)}0{draw.randint(1, 9)}75116{draw.randint(100, 999)}"
        made.append(national + nir.calc_check_digits(national))
        eleven = f"{draw.randint(2 * 10**10, 10**11 - 1)}"
        twelve = eleven + verhoeff.calc_check_digit(eleven)
        made.append(" ".join(twelve[at : at + 4] for at in (0, 4, 8)))
    return [number for number in made if number]


def test_precision_and_recall_on_a_labelled_list():
    there, absent = [*cells(PHONES), *cells(OTHERS), *numbers()], cells(NOT)
    assert len(there) + len(absent) >= 400
    missed = [cell for cell in there if contacts(cell) is None]
    false = [cell for cell in absent if contacts(cell) is not None]
    hits = len(there) - len(missed)
    assert 100 * hits >= 98 * len(there), missed
    assert 100 * hits >= 98 * (hits + len(false)), false


def test_what_is_named_is_what_is_there():
    assert all(contacts(cell) in (Contact.PHONE, None) for cell in cells(PHONES))
    assert contacts("ann@example.org") is Contact.EMAIL
    assert contacts("192.168.10.12") is Contact.NETWORK
    assert contacts("4111111111111111") is Contact.CARD
    assert contacts("52.5200, 13.4050") is Contact.PLACE


def test_a_column_of_random_numbers_is_no_column_of_cards():
    draw = random.Random(1)
    products = [f"4{draw.randrange(10**15):015d}" for _ in range(300)]
    passing = [cell for cell in products if contacts(cell) is not None]
    assert passing
    assert contacts_of(products) == {}
    # Among words there is no column of numbers, and one that passes counts.
    assert list(contacts_of(["flu", f"paid with {passing[0]}"]).values()) == [Contact.CARD]
    assert len(contacts_of([cell for cell in numbers() if len(cell) == 16])) == 12


def test_places_are_those_of_the_texts():
    texts = ["two\nlines 030/1234567", "", "none", "c@d.org 030/1234567", "１２３\r\n"]
    texts += ["+49 30 901820"]
    assert contacts_of(texts) == {0: Contact.PHONE, 3: Contact.EMAIL, 5: Contact.PHONE}
    assert contacts_of([]) == {}
    # A word of one cell is no heading of the number in the next.
    assert contacts_of(["12 Plate", "12 Petri dish"]) == {}
    assert contacts_of(["model 123456 Fax", "1234567", "form 123456, Passport no", "1234567"]) == {}


@cases(("１２３", "123"), ("a–b", "a-b"), ("٣", "3"), ("x", "x"))
def test_signs_have_one_form(text, plain):
    assert plain_text(text) == plain
