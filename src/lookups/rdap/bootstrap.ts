/** Which servers can answer a question: IANA's bootstrap files (RFC 9224). */
import { contains, parsePrefix } from '../../core/address.ts';
import type { RegistryFile } from '../../core/platform.ts';
import { isObject, parseJson, timeOf } from './json.ts';
import type { Question } from './query.ts';

/** The largest of the files, that of the domains, has about 60 kB. */
export const maxRegistryFileBytes = 2 ** 21;

/** Reads a bootstrap file; null when the text is none. Services and URLs that cannot be used are left out. */
export function parseRegistryFile(text: string): RegistryFile | null {
  if (text.length > maxRegistryFileBytes) return null;
  const parsed = parseJson(text);
  if (!('value' in parsed) || !isObject(parsed.value) || !Array.isArray(parsed.value.services)) return null;
  const services = parsed.value.services.flatMap((service) => {
    if (!Array.isArray(service) || !Array.isArray(service[0]) || !Array.isArray(service[1])) return [];
    const entries = service[0].filter((entry) => typeof entry === 'string').map((entry) => entry.toLowerCase());
    const urls = service[1].map(baseUrl).filter((url) => url !== null);
    return entries.length > 0 && urls.length > 0 ? [{ entries, urls }] : [];
  });
  return { publication: timeOf(parsed.value.publication), services };
}

function baseUrl(text: unknown): string | null {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null;
  return url.href.replace(/\/?$/, '/');
}

/** The base URLs of the service that knows most exactly; https alone where it has any; none where no service knows. */
export function baseUrlsOf(question: Question, file: RegistryFile): readonly string[] {
  const rankOf = ranking(question);
  let best: { readonly rank: number; readonly urls: readonly string[] } = { rank: -1, urls: [] };
  for (const { entries, urls } of file.services) {
    for (const entry of entries) {
      const rank = rankOf(entry);
      if (rank > best.rank) best = { rank, urls };
    }
  }
  const secure = best.urls.filter((url) => url.startsWith('https:'));
  return secure.length > 0 ? secure : best.urls;
}

/** How exactly an entry covers the question: labels, bits of the prefix, or any range at all; -1 when it does not. */
function ranking(question: Question): (entry: string) => number {
  if (question.kind === 'domain') {
    const labels = question.name.split('.');
    // Whole labels from the right, down to the root (RFC 9224 §4).
    const suffixes = new Map(
      ['', ...labels.map((_, at) => labels.slice(at).join('.'))].map((suffix) => [suffix, suffix.length]),
    );
    return (entry) => suffixes.get(entry) ?? -1;
  }
  if (question.kind === 'ip') {
    const { first, length } = question.prefix;
    return (entry) => {
      const prefix = parsePrefix(entry);
      return prefix !== null && prefix.length <= length && contains(prefix, first) ? prefix.length : -1;
    };
  }
  return (entry) => {
    const [, start, end = start] = /^(\d+)(?:-(\d+))?$/.exec(entry) ?? [];
    return Number(start) <= question.number && question.number <= Number(end) ? 0 : -1;
  };
}

/** Whether a URL lies below a base URL that one of the files lists. */
export function isListed(url: URL, files: readonly RegistryFile[]): boolean {
  return files.some(({ services }) => services.some(({ urls }) => urls.some((base) => url.href.startsWith(base))));
}
