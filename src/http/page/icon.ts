/** The service's icon: an eye. tools/icons.ts renders images from it. */

/** Shapes in a view box of 24 by 24: the outline of the eye as a stroke, the pupil as a filled circle. */
export const eye = {
  color: '#1c9c83',
  outline: 'M2 12c2.6-4.7 6-7 10-7s7.4 2.3 10 7c-2.6 4.7-6 7-10 7s-7.4-2.3-10-7z',
  strokeWidth: 2,
  center: 12,
  pupilRadius: 3.4,
} as const;

/** In the current color. */
export const iconShapes = `<path fill="none" stroke="currentColor" stroke-width="${eye.strokeWidth}" d="${eye.outline}"/><circle cx="${eye.center}" cy="${eye.center}" r="${eye.pupilRadius}" fill="currentColor"/>`;

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" color="${eye.color}">${iconShapes}</svg>`;
