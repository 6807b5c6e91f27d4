/** Generated files equal the output of their generators. */
import { generated } from '../tools/generate.ts';
import { testUpToDate } from './up-to-date.ts';

for (const each of generated.filter(({ isPicture }) => !isPicture)) testUpToDate(each);
