/** Runs inside a simulated internet: sends lookups to the service, and requests to their servers directly. */
import { Resolver } from 'node:dns/promises';
import { Agent, request } from 'undici';

export interface LookupLoad {
  /** Milliseconds of each request, alternating, by kind of lookup. */
  readonly addedTime: Readonly<
    Record<string, { readonly serviceMs: readonly number[]; readonly directMs: readonly number[] }>
  >;
  /** Requests to /ip per second, by round. */
  readonly hangingLookups: { readonly alone: readonly number[]; readonly concurrent: readonly number[] };
  /** Number of lookups. */
  readonly manyLookups: number;
}

const [, , service = '', name = '', count = '0'] = process.argv;
const agent = new Agent({ connections: 256 });

const check = (url: string) => `/api/headers-check?${new URLSearchParams({ url })}`;
const rdap = (q: string) => `/api/rdap?${new URLSearchParams({ q })}`;

async function requestService(path: string): Promise<number> {
  const { statusCode, body } = await request(service + path, { dispatcher: agent });
  await body.dump();
  return statusCode;
}

async function requestDirectly(url: string): Promise<void> {
  const resolver = new Resolver();
  const { hostname } = new URL(url);
  const [resolved] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const address = resolved.status === 'fulfilled' ? (resolved.value[0] ?? '') : '';
  const dispatcher = new Agent({
    connect: { lookup: (_, _options, callback) => process.nextTick(callback, null, [{ address, family: 4 }]) },
  });
  const { body } = await request(url, { dispatcher });
  await body.dump();
  await dispatcher.destroy();
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const loads: { readonly [Name in keyof LookupLoad]: () => Promise<LookupLoad[Name]> } = {
  async addedTime() {
    const measured: Record<string, { serviceMs: number[]; directMs: number[] }> = {};
    for (const [kind, path, url] of [
      ['header check, http', check('http://bare.test/'), 'http://bare.test/'],
      ['header check, https', check('https://well-kept.test/'), 'https://well-kept.test/'],
      ['domain', rdap('example.com'), 'https://rdap.verisign.com/com/v1/domain/example.com'],
      ['IP address', rdap('8.8.8.8'), 'https://rdap.arin.net/registry/ip/8.8.8.8'],
    ] as const) {
      const times = { serviceMs: [] as number[], directMs: [] as number[] };
      for (let round = 0; round < 400; round++) {
        const serviceMs = await timeOf(() => requestService(path));
        const directMs = await timeOf(() => requestDirectly(url));
        if (round < 100) continue;
        times.serviceMs.push(serviceMs);
        times.directMs.push(directMs);
      }
      measured[kind] = times;
    }
    return measured;
  },

  async hangingLookups() {
    const lookups = Number(count);
    const perSecond = async (): Promise<number> => {
      const began = performance.now();
      let requests = 0;
      const client = async () => {
        while (performance.now() - began < 1000) {
          await requestService('/ip');
          requests += 1;
        }
      };
      await Promise.all(Array.from({ length: 16 }, client));
      return (requests * 1000) / (performance.now() - began);
    };
    await perSecond();
    const alone: number[] = [];
    const concurrent: number[] = [];
    for (let round = 0; round < 5; round++) {
      alone.push(await perSecond());
      const hanging = Array.from({ length: lookups }, () => requestService(rdap('example.rdap-hang')));
      // By then all of them wait for the registry, which holds each for five seconds.
      await new Promise((resolve) => setTimeout(resolve, 2000));
      concurrent.push(await perSecond());
      await Promise.all(hanging);
    }
    return { alone, concurrent };
  },

  async manyLookups() {
    const paths = [check('http://bare.test/'), check('https://well-kept.test/'), rdap('example.com'), rdap('8.8.8.8')];
    let left = Number(count);
    const client = async () => {
      while (left > 0) {
        left -= 1;
        const path = paths[left % paths.length] ?? '';
        const status = await requestService(path);
        if (status !== 200) throw new Error(`${path}: status ${status}`);
      }
    };
    await Promise.all(Array.from({ length: 20 }, client));
    return Number(count);
  },
};

process.stdout.write(JSON.stringify(await loads[name as keyof LookupLoad]()));
await agent.close();
