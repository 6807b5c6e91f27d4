/** The clients of other services that work with this one: the table of docs/compatibility.md. Each row has a test of its own. */

export interface ClientRow {
  readonly client: string;
  /** The file, field or variable that names the service. */
  readonly where: string;
  /** What its user writes there. */
  readonly write: string;
  /** The tested program with its source, or null if only its way to read a response is tested. */
  readonly program: string | null;
}

const base = 'https://seenby.example/as';
/** The services that these clients know have only A records, and the clients accept only an IPv4 address. */
const ipv4 = 'https://v4.seenby.example/as';

export const clientRows: readonly ClientRow[] = [
  {
    client: 'ddclient',
    where: 'ddclient.conf',
    write: `usev4=webv4, webv4=${ipv4}/dyndns`,
    program: 'ddclient (Debian)',
  },
  {
    client: 'inadyn',
    where: 'inadyn.conf, provider',
    write: 'checkip-server = v4.seenby.example, checkip-path = /as/plain, checkip-ssl = true',
    program: 'inadyn (Debian)',
  },
  { client: 'public-ip', where: 'options', write: `{ fallbackUrls: ['${ipv4}/plain'] }`, program: 'public-ip (npm)' },
  {
    client: 'Python requests',
    where: 'code',
    write: `requests.get('${base}/httpbin/ip').json()['origin']`,
    program: 'requests (Debian)',
  },
  {
    client: 'Python httpx',
    where: 'code',
    write: `httpx.get('${base}/httpbin/get').json()['headers']`,
    program: 'httpx (Debian)',
  },
  { client: 'got-scraping', where: 'option url', write: `${base}/httpbin/headers`, program: 'got-scraping (npm)' },
  { client: 'impit', where: 'URL', write: `${base}/peet/api/all`, program: 'impit (npm)' },
  { client: 'scripts with curl', where: 'URL', write: `${base}/ipinfo/country`, program: 'curl (Debian)' },
  { client: 'gluetun', where: 'environment', write: `PUBLICIP_API=echoip#${ipv4}/echoip`, program: null },
  {
    client: 'ddupdate',
    where: 'command line',
    write: `-a ip-from-command -O 'cmd=curl -s ${ipv4}/plain'`,
    program: null,
  },
  { client: 'ddns-go', where: 'URL that returns the address', write: `${ipv4}/plain`, program: null },
  { client: 'favonia/cloudflare-ddns', where: 'environment', write: `IP4_PROVIDER=url:${ipv4}/plain`, program: null },
  {
    client: 'timothymiller/cloudflare-ddns',
    where: 'IP provider',
    write: `cloudflare.trace:${base}/trace`,
    program: null,
  },
  {
    client: 'OpenWrt ddns-scripts',
    where: '/etc/config/ddns',
    write: `option ip_source 'web', option ip_url '${ipv4}/dyndns'`,
    program: null,
  },
  { client: 'pfSense', where: 'Services, Dynamic DNS, Check IP Services', write: `${ipv4}/dyndns`, program: null },
  {
    client: 'qdm12/ddns-updater',
    where: 'environment',
    write: `PUBLICIP_HTTP_PROVIDERS=url:${base}/plain`,
    program: null,
  },
  { client: 'Terraform', where: 'url of data "http"', write: `${base}/echoip/json`, program: null },
  { client: 'scripts for ip-api.com', where: 'URL', write: `${base}/ip-api/json`, program: null },
  { client: 'scripts for ipinfo.io', where: 'URL', write: `${base}/ipinfo`, program: null },
  { client: 'bogdanfinn/tls-client', where: 'URL of its tests', write: `${base}/peet/api/all`, program: null },
  { client: 'CycleTLS', where: 'URL of its tests', write: `${base}/peet/api/clean`, program: null },
  { client: 'azuretls', where: 'URL of its tests', write: `${base}/peet/api/all`, program: null },
  { client: 'curl_cffi', where: 'URL of its tests', write: `${base}/browserleaks/json`, program: null },
  { client: 'wreq', where: 'URL of its tests', write: `${base}/browserleaks`, program: null },
];
