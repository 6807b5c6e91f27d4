/** The navigation of a page marks the section on the screen; the URL remembers the closed list that was opened. */

export function markSections(): void {
  const navigation = document.querySelector<HTMLElement>('.sections');
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.sections a')];
  const boxes = links.map(({ hash }) => document.getElementById(hash.slice(1))?.closest('section, details'));
  const currentAt = (): number => {
    // At the top, nothing needs to be measured: the rest of the page may not be laid out yet.
    if (scrollY === 0) return 0;
    if (innerHeight + scrollY >= document.documentElement.scrollHeight - 2) return links.length - 1;
    return Math.max(
      0,
      boxes.findLastIndex((box) => box && box.getBoundingClientRect().top < innerHeight / 3),
    );
  };
  const mark = () => {
    const current = links[currentAt()];
    if (current === undefined || current.ariaCurrent === 'true') return;
    const isFirst = links.every((link) => link.ariaCurrent === null);
    for (const link of links) link.ariaCurrent = link === current ? 'true' : null;
    if (!isFirst) navigation?.scrollTo({ left: current.offsetLeft - navigation.clientWidth / 3 });
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
      // Lists that are open from the start report that, too.
      if (navigator.userActivation?.hasBeenActive === false) return;
      // The URL may name something in the list, which it opened.
      if (!id || (target.open && target.contains(targetOfUrl()))) return;
      if (target.open) history.replaceState(null, '', `#${id}`);
      else if (location.hash === `#${id}`) history.replaceState(null, '', location.pathname + location.search);
    },
    true,
  );
}

const targetOfUrl = (): HTMLElement | null => document.getElementById(decodeFragment(location.hash.slice(1)));

/** The fragment itself if it is not percent-encoded, such as `100%`. */
function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Opens what the URL leads to: a row, and in browsers that do not do it themselves, the list around it. */
export function openTarget(): void {
  const open = () => {
    const target = targetOfUrl();
    target?.querySelector(':scope > details')?.setAttribute('open', '');
    for (let list = target?.closest('details'); list; list = list.parentElement?.closest('details')) list.open = true;
  };
  addEventListener('hashchange', open);
  open();
}
