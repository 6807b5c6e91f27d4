/** Copy buttons, and the selection of a whole value by double-click. */
import { announce } from './elements.ts';

const doneMs = 2_000;

export function enableCopyButtons(): void {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button.copy:not(.again)') : null;
    const source = button && sourceOf(button);
    if (!source) return;
    const isCopied = await copyText(source);
    announce(isCopied ? 'Copied.' : 'Selected. Press Ctrl+C to copy.');
    const isIcon = button.classList.contains('icon');
    button.classList.add('done');
    if (!isIcon) button.textContent = isCopied ? 'Copied' : 'Selected';
    setTimeout(() => {
      button.classList.remove('done');
      if (!isIcon) button.textContent = 'Copy';
    }, doneMs);
  });
}

/** In a row, the whole value without its unit; elsewhere, what stands before the button. */
function sourceOf(button: HTMLElement): Element | null {
  if (!button.classList.contains('icon')) return button.previousElementSibling;
  const row = button.parentElement;
  return row?.querySelector('.full bdi') ?? row?.querySelector('.value bdi') ?? null;
}

/** A double-click opens and closes the row again, so a click with a mouse on its value does neither. */
export function enableWholeSelection(): void {
  const mouse = matchMedia('(pointer: fine)');
  document.addEventListener('click', (event) => {
    // The number of clicks is 0 for keys and assistive technology.
    if (event.detail === 0 || !mouse.matches) return;
    if (event.target instanceof Element && event.target.closest('summary .value')) event.preventDefault();
  });
  document.addEventListener('dblclick', ({ target }) => {
    const value = target instanceof Element ? target.closest('.values .value, .values .full, .address') : null;
    if (value === null) return;
    getSelection()?.selectAllChildren(value.querySelector('bdi:only-of-type') ?? value);
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
