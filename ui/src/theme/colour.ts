/** Resolves a custom property to the colour this element would have; a canvas can't do that. */
export function colourOf(element: HTMLElement, token: string): string {
  element.style.color = `var(${token})`
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}
