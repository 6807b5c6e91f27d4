# The Worker on a machine of your own: docs/deploy/cloudflare.md
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "seenby", worker = .seenby),
    # A lookup connects only to these addresses, whatever a name resolves to.
    (name = "internet", network = (
      allow = ["public"],
      # Blocks that workerd counts as public.
      deny = [
        "0.0.0.0/8", "100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "3ffe::/16",
      ],
      tlsOptions = (trustBrowserCas = true),
    )),
    # workerd has no cache: nothing is found, and what is stored is discarded. The Worker keeps IANA's files in memory.
    (name = "cache", worker = (
      modules = [(name = "cache.js", esModule =
        "export default { fetch: ({ method }) => new Response(null, { status: method === 'PUT' ? 204 : 504 }) };")],
      compatibilityDate = "2026-10-23",
    )),
  ],
  # A proxy on this machine terminates TLS, limits requests and sets CF-Connecting-IP and X-Forwarded-Proto.
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (forwardedProtoHeader = "X-Forwarded-Proto"), service = "seenby")],
);

const seenby :Workerd.Worker = (
  # Built by: npx wrangler deploy --dry-run --outdir build
  modules = [(name = "worker.js", esModule = embed "../../build/worker.js")],
  compatibilityDate = "2026-10-23",
  compatibilityFlags = ["global_fetch_strictly_public"],
  cacheApiOutbound = "cache",
  bindings = [
    (name = "PUBLIC_URL", fromEnvironment = "PUBLIC_URL"),
    (name = "PUBLIC_URL_V4", fromEnvironment = "PUBLIC_URL_V4"),
    (name = "PUBLIC_URL_V6", fromEnvironment = "PUBLIC_URL_V6"),
    (name = "CONTACT", fromEnvironment = "CONTACT"),
    (name = "DOH_URL", fromEnvironment = "DOH_URL"),
    (name = "RDAP_BOOTSTRAP_URL", fromEnvironment = "RDAP_BOOTSTRAP_URL"),
  ],
);
