/** Lists of the paths in the shape of other services, for people who look at the start of them. */
import { dialects } from '../dialects/list.ts';
import { definer, type Endpoint } from './endpoint.ts';

const folder = '/as';

/** Whether an endpoint is, or describes, a response in the shape of another service. */
export const isOfDialects = ({ path }: Pick<Endpoint, 'path'>): boolean =>
  path === folder || path.startsWith(`${folder}/`);

const defineList = definer({ kind: 'document', rates: [], isConstant: true });

const listOf = (rows: typeof dialects): string => rows.map(({ path, summary }) => `${path}: ${summary}\n`).join('');

const services = [...Map.groupBy(dialects, ({ path }) => path.split('/')[2] ?? '')].map(([name, rows]) => ({
  path: `${folder}/${name}`,
  name,
  rows,
}));

/** A list of all paths, and one for each service that has no response at its own start. */
export const dialectLists: readonly Endpoint[] = [
  defineList(folder, 'Paths in the shape of other services', { text: () => listOf(dialects) }),
  ...services
    .filter(({ path }) => dialects.every((dialect) => dialect.path !== path))
    .map(({ path, name, rows }) => defineList(path, `Paths in the shape of ${name}`, { text: () => listOf(rows) })),
];
