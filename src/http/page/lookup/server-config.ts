/** Header lines, as a header check suggests them, as configuration of common servers. */

const servers = ['nginx', 'Caddy', 'Express'] as const;

/** By the server's name; null if its configuration cannot express the header. */
type ServerConfig = Readonly<Record<(typeof servers)[number], string | null>>;

/** Names in lower case of the headers that the site sends: what replaces one must not become a second one. */
type SentNames = ReadonlySet<string>;

/** Header lines, as a header check suggests them, as configuration of each server. */
export function serverConfigOf(lines: string, sent: SentNames): ServerConfig {
  const configs = lines.split('\n').map((line) => {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    if (name === 'Location') return redirectConfig;
    return name === 'Set-Cookie' ? cookieConfigOf(value) : headerConfigOf(name, value, sent);
  });
  const joined = servers.map((server) => {
    const parts = configs.map((config) => config[server]);
    // A comment states once where the following lines belong.
    return [server, parts.includes(null) ? null : [...new Set(parts.join('\n').split('\n'))].join('\n')];
  });
  return Object.fromEntries(joined);
}

/** The header lines of several checks, and the same for each server: each header once, what belongs elsewhere last, below its comment. */
export function combinedConfigOf(suggestions: readonly string[], sent: SentNames): Readonly<Record<string, string>> {
  // Two checks may suggest the same line, but never different lines of one header.
  const lines = [...new Set(suggestions.flatMap((suggestion) => suggestion.split('\n')))];
  const configs = lines.map((line) => ({ line, config: serverConfigOf(line, sent) }));
  const blocks = servers.map((server) => {
    const pieces = configs.map(({ line, config }) => config[server] ?? describeUnsupported(server, line));
    // A piece for another place of the configuration begins with a comment that names it.
    const places = Map.groupBy(pieces, (piece) => (/^# in .*(?=\n)/.exec(piece) ?? [''])[0]);
    const sorted = [...places].toSorted(([a], [b]) => Number(a !== '') - Number(b !== ''));
    const blocksOf = sorted.map(([place, group]) =>
      [place, ...group.map((piece) => piece.slice(place === '' ? 0 : place.length + 1))].filter((part) => part !== ''),
    );
    return [server, blocksOf.map((block) => block.join('\n')).join('\n\n')] as const;
  });
  return Object.fromEntries([...blocks, ['Header lines', lines.join('\n')]]);
}

const describeUnsupported = (server: string, line: string): string =>
  `${server === 'Express' ? '//' : '#'} ${line.replace(/[:=].*/s, '')}: ${
    hasNonce(line)
      ? 'the nonce must be new in each response; set the header where the page is rendered'
      : `the syntax of ${server} cannot express this value; set it elsewhere`
  }`;

/** A place for a value that is different in each response. */
const hasNonce = (text: string): boolean => text.includes("'nonce-…'");

const quote = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/**
 * nginx expands variables ($) and Caddy placeholders ({}) in quoted text, without a way to escape them. Both add their header to that of an
 * application behind them, unless nginx hides it, or Caddy sets its own after it.
 */
function headerConfigOf(name: string, value: string, sent: SentNames): ServerConfig {
  const isReplaced = sent.has(name.toLowerCase());
  const field = `${name} ${quote(value)}`;
  const hide = isReplaced ? `proxy_hide_header ${name};\nfastcgi_hide_header ${name};\n` : '';
  return {
    nginx: value.includes('$') || hasNonce(value) ? null : `${hide}add_header ${field} always;`,
    Caddy:
      /[{}]/.test(value) || hasNonce(value)
        ? null
        : isReplaced
          ? `header {\n\tdefer\n\t${field}\n}`
          : `header ${field}`,
    Express: hasNonce(value) ? null : `res.set(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  };
}

const redirectConfig: ServerConfig = {
  nginx: '# in the server block for port 80\nreturn 301 https://$host$request_uri;',
  Caddy: '# in the http:// site\nredir https://{host}{uri} permanent',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code of the Express application
  Express: "if (req.protocol === 'http') return res.redirect(301, `https://${req.hostname}${req.originalUrl}`);",
};

function cookieConfigOf(value: string): ServerConfig {
  const [pair = '', ...attributes] = value.split('; ');
  const name = pair.replace(/=.*/, '');
  // Other names need escaping, and are rare.
  if (!/^[\w-]+$/.test(name)) return { nginx: null, Caddy: null, Express: null };
  const find = (wanted: string) => attributes.find((attribute) => attribute.toLowerCase().split('=')[0] === wanted);
  const sameSite = find('samesite')?.split('=')[1]?.toLowerCase() ?? 'lax';
  const isHttpOnly = find('httponly') !== undefined;
  const flags = ['Secure', ...(isHttpOnly ? ['HttpOnly'] : []), `SameSite=${sameSite}`];
  return {
    nginx: `# in the location with proxy_pass\nproxy_cookie_flags ${name} ${flags.join(' ').toLowerCase()};`,
    Caddy: `# in reverse_proxy\nheader_down Set-Cookie "^(${name}=.*)$" "$1; ${flags.join('; ')}"`,
    // The cookie keeps its other options, such as domain and maxAge.
    Express: `res.cookie('${name}', value, { ...options, secure: true, httpOnly: ${isHttpOnly}, sameSite: '${sameSite}' });`,
  };
}
