/** Calls counted by endpoint and status, served to Prometheus on an address of its own. */
import { createServer, type Server } from 'node:http';
import { Counter, Registry } from 'prom-client';

export interface Metrics {
  count(endpoint: string, status: number): void;
  /** A server that is not listening yet. */
  server(): Server;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const calls = new Counter({
    name: 'seenby_calls_total',
    help: 'Calls answered, by endpoint ("unknown" for every other path) and status.',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
  });
  // Finding a counter by its labels costs more than the count; there are as many as endpoints times statuses.
  const children = new Map<string, Counter.Internal>();
  return {
    count(endpoint, status) {
      const key = `${endpoint} ${status}`;
      let child = children.get(key);
      if (child === undefined) {
        child = calls.labels(endpoint, String(status));
        children.set(key, child);
      }
      child.inc();
    },
    server: () =>
      createServer(async (incoming, outgoing) => {
        if (incoming.url !== '/metrics') {
          outgoing.writeHead(404).end();
          return;
        }
        outgoing.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
        outgoing.end(await registry.metrics());
      }),
  };
}
