// The health check of the container: requests /healthz on the port that the service's flags or variables name, over TLS if only that is on.
import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { parseArgs } from 'node:util';

// The service is process 1, or an argument of an init that is.
const [commandLine = '/proc/1/cmdline'] = process.argv.slice(2);
const args = readFileSync(commandLine, 'utf8')
  .split('\0')
  .filter((word) => word !== '--');
const options = { host: { type: 'string' }, port: { type: 'string' }, 'tls-port': { type: 'string' } };
const { values: flags } = parseArgs({ args, options, strict: false });
const { HOST, PORT, TLS_PORT } = process.env;

const host = flags.host || HOST || '127.0.0.1';
const plainPort = flags.port || PORT || '8080';
const isTls = plainPort === 'off';
const port = isTls ? flags['tls-port'] || TLS_PORT || '8443' : plainPort;
const request = isTls ? requestHttps : requestHttp;
request({ host, port, path: '/healthz', rejectUnauthorized: false }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
})
  .on('error', () => process.exit(1))
  .end();
