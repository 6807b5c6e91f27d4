// The health check of the container: requests /healthz on the port that the service's flags or variables name, over TLS if only that is on.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parseArgs } from 'node:util';

// The service is process 1, or an argument of an init that is.
const [commandLine = '/proc/1/cmdline'] = process.argv.slice(2);
const args = readFileSync(commandLine, 'utf8')
  .split('\0')
  .filter((word) => word !== '--');
const names = ['host', 'port', 'tls-port', 'metrics-host', 'metrics-port', 'proxy-protocol'];
const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
const { values: flags } = parseArgs({ args, options, strict: false });
const settingOf = (name) => flags[name] || process.env[name.toUpperCase().replaceAll('-', '_')];

// The metrics port also accepts connections while the memory is full, and never expects a PROXY header.
const metricsPort = settingOf('metrics-port') || 'off';
const hasMetrics = metricsPort !== 'off';
const host = settingOf(hasMetrics ? 'metrics-host' : 'host') || '127.0.0.1';
const plainPort = hasMetrics ? metricsPort : settingOf('port') || '8080';
const isTls = plainPort === 'off';
const port = isTls ? settingOf('tls-port') || '8443' : plainPort;

/** Whether the service responds on a connection that begins with these bytes. */
const isHealthy = (start) =>
  new Promise((resolve) => {
    const createConnection = () => {
      const socket = connect({ host, port });
      socket.write(start);
      return isTls ? connectTls({ socket, rejectUnauthorized: false }) : socket;
    };
    request({ host, port, path: '/healthz', createConnection }, ({ statusCode }) => resolve(statusCode === 200))
      .on('error', () => resolve(false))
      .end();
  });

// The service expects a PROXY header from loopback only if that is in TRUST_PROXY, and otherwise accepts none.
const isProxied = !hasMetrics && settingOf('proxy-protocol') === 'on';
process.exit((await isHealthy('')) || (isProxied && (await isHealthy('PROXY UNKNOWN\r\n'))) ? 0 : 1);
