/**
 * As what a repository counts: one for all spellings of its address, whoever logs in to it and by whichever protocol.
 * Nothing is ever cloned by it. In the database, where the counting is done, so that whatever is submitted there counts.
 */
export const REPOSITORY_KEY = String.raw`
create or replace function pawl.repository_key(repository text) returns text
language sql immutable strict parallel safe as $$
  with plain as (
    select regexp_replace(regexp_replace(repository, '^(https?://[^?#]*)[?#].*$', '\1', 'i'),
      '^file://(localhost)?/', '/', 'i') as address
  ), parts as (
    select address, coalesce(
      regexp_match(address, '^([a-z][a-z0-9+.-]*)://(?:[^/]*@)?([^/@]*)(.*)$', 'i'),
      regexp_match(address, '^()(?:[^/:@]*@)?(\[[^/]*\]|[^/:]+):(?!:)(.*)$')
    ) as part
    from plain
  )
  select case when part is null then '' else regexp_replace(lower(part[2]), case lower(part[1])
      when 'https' then ':443$' when 'http' then ':80$' when 'git' then ':9418$' else ':22$' end, '') end
    || regexp_replace(regexp_replace(case when part is null then address else '/' || part[3] end,
      '/(\.?/)+', '/', 'g'), '/*(\.git)?/*$', '')
  from parts
$$;
`;
