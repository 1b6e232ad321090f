const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
)

/** Text as it is written in a page, within elements and in quoted values. */
export function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (sign) => entities.get(sign)!)
}
