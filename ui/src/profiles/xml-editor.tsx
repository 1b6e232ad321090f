import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { TextArea } from '../kit/input.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { sentenceOf } from './faults.ts'
import { useSaveXml } from './use-save-profile.ts'

const example = `<?xml version="1.0" encoding="UTF-8"?>
<profile name="News of the faculty">
  <data>
    <source every="1h">
      <uri>https://example.org/news/</uri>
    </source>
  </data>
</profile>
`
type Props = { id: string; isDirty: boolean; onSaved: (profile: Profile) => void }

export function XmlEditor({ id, isDirty, onSaved }: Props) {
  const source = useQuery({
    queryKey: ['profiles', id, 'xml'],
    queryFn: () => api.text(`/profiles/${encodeURIComponent(id)}`, {}, 'application/xml'),
    enabled: id !== 'new',
    staleTime: 0,
    refetchOnWindowFocus: false,
  })
  const original = id === 'new' ? example : source.data
  const [edited, setEdited] = useState<string>()
  const save = useSaveXml(id, (profile) => {
    setEdited(undefined)
    onSaved(profile)
  })
  if (source.isError)
    return (
      <ErrorState error={source.error} onRetry={() => void source.refetch()}>
        The form works without it.
      </ErrorState>
    )
  if (original === undefined) return <LoadingState label="Loading the XML" />
  const text = edited ?? original
  const details = save.error instanceof ApiError ? save.error.details : []
  return (
    <div className="kit-card kit-form">
      {isDirty && (
        <p className="soft">The form has unsaved changes. They are not in this text; save or discard them first.</p>
      )}
      <Field
        label="The profile in XML"
        hint="What is left out has its usual value."
        error={save.isError ? sentenceOf(messageOf(save.error)) : undefined}
      >
        <TextArea
          className="profiles-xml"
          rows={22}
          spellCheck={false}
          wrap="off"
          value={text}
          onChange={(event) => setEdited(event.target.value)}
        />
      </Field>
      {details.length > 0 && (
        <ul className="profiles-faults">
          {details.map(({ place, message }) => (
            <li key={`${place} ${message}`}>
              {place !== '' && <code>{place}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      <div className="kit-row">
        <Button
          look="primary"
          disabled={save.isPending || (edited === undefined && id !== 'new')}
          onClick={() => save.mutate(text)}
        >
          {save.isPending ? 'Saving…' : 'Save XML'}
        </Button>
        {edited !== undefined && <Button onClick={() => setEdited(undefined)}>Discard</Button>}
      </div>
    </div>
  )
}
