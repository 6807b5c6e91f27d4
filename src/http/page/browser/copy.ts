/** Buttons that copy the text before them. */
import { say } from './elements.ts';

export function copyButtons(): void {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button.copy:not(.again)') : null;
    const source = button?.previousElementSibling;
    if (!button || !source) return;
    const isCopied = await copied(source);
    const done = isCopied ? 'Copied' : 'Selected';
    button.textContent = done;
    say(isCopied ? 'Copied.' : 'Selected: press Ctrl and C to copy.');
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}

/** Only secure pages have a clipboard; elsewhere the text is selected and the browser asked in the old way. */
async function copied(source: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return document.execCommand('copy');
  }
}
