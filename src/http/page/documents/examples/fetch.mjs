const response = await fetch('https://seenby.example/json');
if (response.status === 429) throw new Error(`Try again in ${response.headers.get('Retry-After')} seconds`);
const { ip, location } = await response.json();
console.log(ip);
console.log(location.country ?? '');
