const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as it is written in a page, within elements and in quoted values. */
export function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (sign) => entities[sign]!)
}
