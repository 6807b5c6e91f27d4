$info = Invoke-RestMethod 'https://seenby.example/json'
$info.ip
$info.location.country
