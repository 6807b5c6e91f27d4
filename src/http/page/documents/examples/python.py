import json
from urllib.request import urlopen

with urlopen('https://seenby.example/json', timeout=10) as response:
    info = json.load(response)
print(info['ip'])
print(info['location']['country'] or '')
