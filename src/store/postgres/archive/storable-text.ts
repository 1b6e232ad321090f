/** PostgreSQL keeps no NUL in texts; like any other character that can't be shown it is replaced. Equal texts stay equal. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}
