curl -sf 'https://seenby.example/ip' 'https://seenby.example/country-code'
