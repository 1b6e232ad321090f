import type { ContentForm } from '../../services/archive/archive-reader.ts'

/** The media type for showing fetched content; null if it isn't shown. */
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
