/** The acceptance suite against the Node edge of `npm run dev`, whose network fields are simulated. */
import { wrapSimulation } from '../../src/edges/simulated.ts';
import { startNode } from '../node-service.ts';
import { http1Client, keptHttp1Client, keptHttp2Client } from './client.ts';
import { acceptance } from './suite.ts';

const clientsOf = (http: string, https: string) => [http1Client(http), keptHttp1Client(https), keptHttp2Client(https)];

acceptance({
  name: 'Simulated edge',
  simulated: true,
  clientNames: clientsOf('http://localhost', 'https://localhost').map(({ name }) => name),
  async start({ rateLimit }) {
    const settings = { host: '127.0.0.1', colo: 'LHR', rateLimitGeneral: rateLimit, rateLimitLookup: rateLimit };
    const service = await startNode(settings, {}, () => {}, wrapSimulation);
    return {
      ip: '203.0.113.7',
      clients: clientsOf(service.http ?? '', service.https ?? ''),
      close: service.close,
    };
  },
});
