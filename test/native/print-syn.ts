/** Prints what Seenby reports of the TCP packet of a connection to itself; a program, so that it can run in another network. */
import { http1Client } from '../acceptance/client.ts';
import { startNode } from '../node-service.ts';

const service = await startNode({ host: '127.0.0.1' });
const { body } = await http1Client(service.http ?? '').request('/fingerprint');
process.stdout.write(JSON.stringify(JSON.parse(body).tcp));
await service.close();
