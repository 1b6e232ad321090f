/** A canvas doesn't resolve custom properties: the colour as this element would show it. */
export function colourOf(element: HTMLElement, token: string): string {
  element.style.color = `var(${token})`
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}
