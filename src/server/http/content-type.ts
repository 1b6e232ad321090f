import type { ContentForm } from '../../services/archive/archive-reader.ts'

/** How fetched content is sent to be shown; null for what is not shown. */
export function shownTypeOf(form: ContentForm): string | null {
  switch (form.kind) {
    case 'html':
      return 'text/html; charset=utf-8'
    case 'text':
      return 'text/plain; charset=utf-8'
    case 'image':
      return form.type
    case 'pdf':
      return 'application/pdf'
    case 'other':
      return null
  }
}
