/** Tabs of the lookups: one panel at a time, selected by click, arrow keys, Home and End (WAI-ARIA pattern). */

export function enableTabs(): void {
  const list = document.querySelector('[role=tablist]');
  const tabs = [...(list?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
  const select = (chosen: HTMLElement) => {
    for (const tab of tabs) {
      tab.ariaSelected = `${tab === chosen}`;
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls') ?? '')?.classList.toggle('selected', tab === chosen);
    }
  };
  list?.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLElement && tabs.includes(target)) select(target);
  });
  list?.addEventListener('keydown', (event) => {
    const { key, target } = event as KeyboardEvent;
    const at = tabs.indexOf(target as HTMLElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[key];
    const tab = next === undefined ? undefined : tabs.at(next % tabs.length);
    if (tab === undefined) return;
    event.preventDefault();
    select(tab);
    tab.focus();
  });
  if (tabs[0]) select(tabs[0]);
}
