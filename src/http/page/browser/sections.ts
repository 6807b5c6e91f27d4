/** The navigation of a page marks the section on the screen; the URL remembers the closed list that was opened. */

export function markSections(): void {
  const navigation = document.querySelector<HTMLElement>('.sections');
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.sections a')];
  const boxes = links.map(({ hash }) => document.getElementById(hash.slice(1))?.closest('section, details'));
  const mark = () => {
    const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = boxes.filter((box) => box && box.getBoundingClientRect().top < innerHeight / 3);
    const current = links.at(isAtEnd ? -1 : Math.max(0, passed.length - 1));
    if (current === undefined || current.ariaCurrent === 'true') return;
    for (const link of links) link.ariaCurrent = link === current ? 'true' : null;
    navigation?.scrollTo({ left: current.offsetLeft - navigation.clientWidth / 3 });
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}

/** The URL names the list that was opened last, so that a copied or reloaded URL opens it again. */
export function rememberFolds(): void {
  document.addEventListener(
    'toggle',
    ({ target }) => {
      const id = target instanceof HTMLDetailsElement && target.matches('.all') && target.lastElementChild?.id;
      if (!id) return;
      if (target.open) history.replaceState(null, '', `#${id}`);
      else if (location.hash === `#${id}`) history.replaceState(null, '', location.pathname + location.search);
    },
    true,
  );
}

/** Opens what the URL leads to: a row, and in browsers that do not do it themselves, the list around it. */
export function openTarget(): void {
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    target?.querySelector(':scope > details')?.setAttribute('open', '');
    for (let list = target?.closest('details'); list; list = list.parentElement?.closest('details')) list.open = true;
  };
  addEventListener('hashchange', open);
  open();
}
