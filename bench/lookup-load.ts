/** Runs inside a test world: asks the service for lookups, and their servers directly. */
import { Resolver } from 'node:dns/promises';
import { Agent, request } from 'undici';

export interface LookupLoad {
  /** Milliseconds of each call, in turn, by kind of lookup. */
  readonly ownTime: Readonly<
    Record<string, { readonly serviceMs: readonly number[]; readonly directMs: readonly number[] }>
  >;
  /** Calls of /ip in a second, round by round. */
  readonly beside: { readonly alone: readonly number[]; readonly beside: readonly number[] };
  readonly many: number;
}

const [, , service = '', name = '', count = '0'] = process.argv;
const agent = new Agent({ connections: 256 });

const check = (url: string) => `/api/headers-check?${new URLSearchParams({ url })}`;
const rdap = (q: string) => `/api/rdap?${new URLSearchParams({ q })}`;

async function byService(path: string): Promise<number> {
  const { statusCode, body } = await request(service + path, { dispatcher: agent });
  await body.dump();
  return statusCode;
}

async function direct(url: string): Promise<void> {
  const resolver = new Resolver();
  const { hostname } = new URL(url);
  const [found] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const address = found.status === 'fulfilled' ? (found.value[0] ?? '') : '';
  const dispatcher = new Agent({
    connect: { lookup: (_, _options, callback) => process.nextTick(callback, null, [{ address, family: 4 }]) },
  });
  const { body } = await request(url, { dispatcher });
  await body.dump();
  await dispatcher.destroy();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const loads: { readonly [Name in keyof LookupLoad]: () => Promise<LookupLoad[Name]> } = {
  async ownTime() {
    const measured: Record<string, { serviceMs: number[]; directMs: number[] }> = {};
    for (const [kind, path, url] of [
      ['header check, http', check('http://bare.test/'), 'http://bare.test/'],
      ['header check, https', check('https://well-kept.test/'), 'https://well-kept.test/'],
      ['domain', rdap('example.com'), 'https://rdap.verisign.com/com/v1/domain/example.com'],
      ['IP address', rdap('8.8.8.8'), 'https://rdap.arin.net/registry/ip/8.8.8.8'],
    ] as const) {
      const times = { serviceMs: [] as number[], directMs: [] as number[] };
      for (let call = 0; call < 400; call++) {
        const serviceMs = await timed(() => byService(path));
        const directMs = await timed(() => direct(url));
        if (call < 100) continue;
        times.serviceMs.push(serviceMs);
        times.directMs.push(directMs);
      }
      measured[kind] = times;
    }
    return measured;
  },

  async beside() {
    const waiting = Number(count);
    const perSecond = async (): Promise<number> => {
      const began = performance.now();
      let calls = 0;
      const caller = async () => {
        while (performance.now() - began < 1000) {
          await byService('/ip');
          calls += 1;
        }
      };
      await Promise.all(Array.from({ length: 16 }, caller));
      return (calls * 1000) / (performance.now() - began);
    };
    await perSecond();
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < 5; round++) {
      alone.push(await perSecond());
      const hanging = Array.from({ length: waiting }, () => byService(rdap('example.rdap-hang')));
      // All of them are at the registry by then, and stay there for most of five seconds.
      await new Promise((resolve) => setTimeout(resolve, 2000));
      beside.push(await perSecond());
      await Promise.all(hanging);
    }
    return { alone, beside };
  },

  async many() {
    const paths = [check('http://bare.test/'), check('https://well-kept.test/'), rdap('example.com'), rdap('8.8.8.8')];
    let left = Number(count);
    const caller = async () => {
      while (left > 0) {
        left -= 1;
        const path = paths[left % paths.length] ?? '';
        const status = await byService(path);
        if (status !== 200) throw new Error(`${path} was answered with ${status}`);
      }
    };
    await Promise.all(Array.from({ length: 20 }, caller));
    return Number(count);
  },
};

process.stdout.write(JSON.stringify(await loads[name as keyof LookupLoad]()));
await agent.close();
