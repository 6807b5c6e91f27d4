/** The acceptance suite against the Worker, on the runtime that Cloudflare runs. */
import { createTestHarness } from 'wrangler';
import { offline, workerFiles } from '../worker-service.ts';
import { http1Client } from './client.ts';
import { acceptance } from './suite.ts';

const clientsOf = (origin: string) => [http1Client(origin)];

/** Properties of a request from London over HTTP/1.1, including those that the local runtime omits. */
const cf = {
  country: 'GB',
  continent: 'EU',
  region: 'England',
  regionCode: 'ENG',
  city: 'London',
  latitude: '51.51420',
  longitude: '-0.09310',
  timezone: 'Europe/London',
  asn: 64496,
  asOrganization: 'Example Network',
  colo: 'LHR',
  clientTcpRtt: 12,
  clientQuicRtt: 0,
  edgeL4: { deliveryRate: 123_456 },
  httpProtocol: 'HTTP/1.1',
  requestPriority: '',
  tlsVersion: 'TLSv1.3',
  tlsCipher: 'AEAD-AES256-GCM-SHA384',
  tlsClientHelloLength: '508',
  tlsClientCiphersSha1: 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
  tlsClientExtensionsSha1: 'tlH5gnoC5Z1HF45J5OgHEi338V0=',
};

acceptance({
  name: 'Cloudflare Worker',
  isWorker: true,
  clientNames: clientsOf('https://localhost').map(({ name }) => name),
  async start({ rateLimit }) {
    const general = { name: 'RATE_GENERAL', namespace_id: '1', simple: { limit: rateLimit, period: 60 } };
    const ratelimits = rateLimit === 0 ? [] : [general];
    const files = workerFiles(cf, { ratelimits, dev: { local_protocol: 'https' } });
    const variables = { ...offline, CLOUDFLARE_CF_FETCH_PATH: files.cfPath };
    const previous = Object.keys(variables).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, variables);
    const harness = createTestHarness({ workers: [{ configPath: files.configPath }] });
    const { url } = await harness.listen();
    // Not before: the start takes seconds.
    if (rateLimit > 0) await windowBegun();
    return {
      ip: '127.0.0.1',
      clients: clientsOf(url.origin),
      async close() {
        await harness.close();
        // The next files of this process must not see them.
        for (const [name, value] of previous)
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        files.remove();
      },
    };
  },
});

/** The local runtime resets all counts at the end of each clock minute. */
async function windowBegun(): Promise<void> {
  const windowMs = 60_000;
  const neededMs = 5000;
  const leftMs = windowMs - (Date.now() % windowMs);
  if (leftMs < neededMs) await new Promise((resolve) => setTimeout(resolve, leftMs));
}
