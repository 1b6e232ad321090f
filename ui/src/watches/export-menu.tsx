import { urlOf } from '../api/client.ts'
import { Menu } from '../kit/menu.tsx'

const formats = [
  { format: 'opml', label: 'As OPML, for feed readers' },
  { format: 'list', label: 'As a list of addresses' },
  { format: 'xml', label: 'As profiles in XML' },
] as const

/** By a link that is pressed: the browser stores the answer as a file and the page stays. */
function download(format: string): void {
  const link = document.createElement('a')
  link.href = urlOf('/sources/export', { format })
  link.download = `watches.${format === 'list' ? 'txt' : format}`
  link.click()
}

export function ExportMenu() {
  return (
    <Menu
      label="Export all watches"
      icon="download"
      items={formats.map(({ format, label }) => ({ label, run: () => download(format) }))}
    />
  )
}
