/** Entry point of the script on pages of text, such as the documentation. */
import { enableCopyButtons } from './copy.ts';

enableCopyButtons();
