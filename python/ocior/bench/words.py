"""Vocabularies of the generated documents, one per script. In a list of LATIN1 all characters are below U+0100, in EMOJI most
words are ASCII, as they are in messages."""

ENGLISH = """the order was placed by customer on time and shipped to address with tracking number please confirm delivery
window before noon otherwise return item within thirty days for full refund service team will answer soon about price
quality garden river window table report meeting summer winter paper market simple strong bright quiet""".split()

NAMES = """Anna Boris Chloe David Elena Farid Grace Hiro Ines Jakub Katrin Liam Maria Noah Olga Pedro Quinn Rosa Sven
Tomas Uma Victor Wanda Xavier Yara Zoe""".split()

CITIES = """Amsterdam Berlin Chicago Dublin Edinburgh Florence Geneva Hamburg Istanbul Jakarta Kyoto Lisbon Madrid Nairobi
Oslo Prague Quito Rome Sydney Tokyo Utrecht Vienna Warsaw Zurich""".split()

LATIN1 = """straße über große schön müde früh Äpfel weiß für später café déjà élève très garçon forêt où naïve être français
año niño mañana señor corazón así también avión São coração não irmão ação även får år må øre blåbær læse året the and with
from time house water""".split()

CYRILLIC = """время человек дело жизнь день рука работа слово место вопрос лицо друг страна мир случай голова ребёнок сила
конец вид система город часть женщина проблема земля решение власть машина закон образ отец история и в не на что быть он
с как это по но они к у ты из мы за вы""".split()

EMOJI = """hello thanks great see you tomorrow party lunch ok yes no maybe love it what a day 😀 😂 🎉 🚀 ❤️ 👍🏽 👩‍💻 🇫🇷 🍕 🌧️ 🐙
🥳 💡 ✅ 🔥 now later work home train late coffee""".split()

CJK = "中文 句子 編碼 字符串 データ 日本語 漢字 解析 一段很长的文字 問題 測試 速度 東京 东京 안녕하세요 세계".split()
