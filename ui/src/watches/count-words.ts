/** "1 watch", "12,345 watches". */
export function countWatches(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'watch' : 'watches'}`
}
