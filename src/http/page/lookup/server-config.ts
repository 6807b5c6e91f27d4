/** Converts response header lines to the configuration of nginx, Caddy and Express. */

const servers = ['nginx', 'Caddy', 'Express'] as const;

/** By the server's name; null if its syntax cannot express the header. */
export type ServerConfig = Readonly<Record<(typeof servers)[number], string | null>>;

/** `lines`: header lines as a header check suggests them. */
export function serverConfigOf(lines: string): ServerConfig {
  const configs = lines.split('\n').map((line) => {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    if (name === 'Location') return redirectConfig;
    return name === 'Set-Cookie' ? cookieConfigOf(value) : headerConfigOf(name, value);
  });
  const joined = servers.map((server) => {
    const parts = configs.map((config) => config[server]);
    // A comment states once where the following lines belong.
    return [server, parts.includes(null) ? null : [...new Set(parts.join('\n').split('\n'))].join('\n')];
  });
  return Object.fromEntries(joined);
}

const quote = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/** nginx expands variables ($) and Caddy placeholders ({}) in quoted text, without a way to escape them. */
const headerConfigOf = (name: string, value: string): ServerConfig => ({
  nginx: value.includes('$') ? null : `add_header ${name} ${quote(value)} always;`,
  Caddy: /[{}]/.test(value) ? null : `header ${name} ${quote(value)}`,
  Express: `res.set(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
});

const redirectConfig: ServerConfig = {
  nginx: '# in the server block for port 80\nreturn 301 https://$host$request_uri;',
  Caddy: '# in the http:// site\nredir https://{host}{uri} permanent',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code of the Express application
  Express: "if (req.protocol === 'http') res.redirect(301, `https://${req.hostname}${req.originalUrl}`);",
};

/** Names that need no escaping in any of the three; other names are rare. */
const plainName = /^[\w-]+$/;

function cookieConfigOf(value: string): ServerConfig {
  const [pair = '', ...attributes] = value.split('; ');
  const name = pair.replace(/=.*/, '');
  if (!plainName.test(name)) return { nginx: null, Caddy: null, Express: null };
  const find = (wanted: string) => attributes.find((attribute) => attribute.toLowerCase().split('=')[0] === wanted);
  const sameSite = find('samesite')?.split('=')[1]?.toLowerCase() ?? 'lax';
  const isHttpOnly = find('httponly') !== undefined;
  const flags = ['secure', ...(isHttpOnly ? ['httponly'] : []), `samesite=${sameSite}`];
  const added = ['Secure', ...(isHttpOnly ? ['HttpOnly'] : []), `SameSite=${sameSite}`].join('; ');
  return {
    nginx: `# in the location with proxy_pass\nproxy_cookie_flags ${name} ${flags.join(' ')};`,
    Caddy: `# in reverse_proxy\nheader_down Set-Cookie "^(${name}=.*)$" "$1; ${added}"`,
    Express: `res.cookie('${name}', value, { secure: true, httpOnly: ${isHttpOnly}, sameSite: '${sameSite}' });`,
  };
}
