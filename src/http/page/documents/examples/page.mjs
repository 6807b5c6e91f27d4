let country = sessionStorage.getItem('country');
if (country === null) {
  const response = await fetch('https://seenby.example/country-code');
  country = response.ok ? (await response.text()).trim() : '';
  sessionStorage.setItem('country', country);
}
