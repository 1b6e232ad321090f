import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { TextArea } from '../kit/input.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { sentenceOf, strings as shared } from '../kit/strings.ts'
import { strings } from './strings.ts'
import { useSaveProfile } from './use-save-profile.ts'

const text = strings.xml

const example = `<?xml version="1.0" encoding="UTF-8"?>
<profile name="${text.exampleName}">
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
  const { save } = useSaveProfile(id, (profile) => {
    setEdited(undefined)
    onSaved(profile)
  })
  if (source.isError) return <ErrorState query={source} advice={text.failed} />
  if (original === undefined) return <LoadingState label={text.loading} />
  const xml = edited ?? original
  const details = save.error instanceof ApiError ? save.error.details : []
  return (
    <div className="kit-card kit-form">
      {isDirty && <p className="soft">{text.dirty}</p>}
      <Field label={text.label} hint={text.hint} error={save.isError ? sentenceOf(messageOf(save.error)) : undefined}>
        <TextArea className="mono" rows={22} spellCheck={false} wrap="off" value={xml} onChange={setEdited} />
      </Field>
      {details.length > 0 && (
        <ul className="kit-notice tone-danger">
          {details.map(({ place, message }) => (
            <li key={`${place} ${message}`}>
              {place !== '' && <code>{place}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      <div className="kit-row">
        <Button
          label={save.isPending ? shared.saving : text.save}
          variant="primary"
          disabled={save.isPending || (edited === undefined && id !== 'new')}
          onClick={() => save.mutate(xml)}
        />
        {edited !== undefined && <Button label={text.discard} onClick={() => setEdited(undefined)} />}
      </div>
    </div>
  )
}
