/** The acceptance suite against the Node edge, with Node's clients. */
import { http1Client, keptHttp1Client, keptHttp2Client } from './client.ts';
import { acceptanceOfNode } from './node-edge.ts';

acceptanceOfNode('Node edge', (http, https) => [http1Client(http), keptHttp1Client(https), keptHttp2Client(https)]);
