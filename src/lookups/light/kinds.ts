/** The kinds of clients. */
export { kinds } from '../../client/kinds.ts';
