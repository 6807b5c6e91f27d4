/**
 * Runs in the head, before the first paint: the styles hide what the page's script shows later. If the script is blocked, or fails before
 * it sets the mark to `on`, all content is shown.
 */
document.documentElement.dataset.script = '';
addEventListener('DOMContentLoaded', () => {
  const { dataset } = document.documentElement;
  if (dataset.script === '') delete dataset.script;
});
