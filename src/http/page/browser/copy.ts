/** Copy buttons: each copies the text of the element before it. */
import { announce } from './elements.ts';

export function enableCopyButtons(): void {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button.copy:not(.again)') : null;
    const source = button?.previousElementSibling;
    if (!button || !source) return;
    const isCopied = await copyText(source);
    const done = isCopied ? 'Copied' : 'Selected';
    button.textContent = done;
    announce(isCopied ? 'Copied.' : 'Selected. Press Ctrl+C to copy.');
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}

/** Returns whether the text was copied; if not, it is selected. Only HTTPS pages have a clipboard, so plain HTTP uses execCommand. */
async function copyText(source: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return document.execCommand('copy');
  }
}
