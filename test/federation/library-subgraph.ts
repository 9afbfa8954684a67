import { buildSubgraphSchema } from "@apollo/subgraph";
import { DirectiveLocation, GraphQLDirective, parse } from "graphql";
import { Arg, Directive, Field, Int, ObjectType, Query, Resolver } from "type-graphql";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { buildFederatedSchema } from "../../subgraphs/shared/federated-schema.ts";

@ObjectType({ description: "A shelf mark: part of a key." })
@Directive("@shareable")
class Mark {
  @Field(() => String, { description: "Room." })
  room!: string;
  @Field(() => Int, { nullable: true, description: "Height in millimetres." })
  @Directive("@inaccessible")
  heightMm?: number;
}

@ObjectType({ description: "A reader, whom another subgraph owns." })
@Directive('@key(fields: "email")')
class Reader {
  @Field(() => String, { description: "Email address." })
  email!: string;
  @Field(() => String, { nullable: true, description: "Name, which this subgraph took over." })
  @Directive('@override(from: "people")')
  name?: string;
  @Field(() => Int, { nullable: true, description: "Books that the reader has borrowed." })
  @Directive("@external")
  loans?: number;
  @Field(() => Int, { nullable: true, description: "Years of membership." })
  @Directive("@external")
  years?: number;
  @Field(() => Int, { nullable: true, description: "Books a year." })
  @Directive('@requires(fields: "loans years")')
  get loansPerYear(): number | null {
    return this.loans === undefined || this.years === undefined ? null : this.loans / this.years;
  }
}

@ObjectType({ description: "A book with several keys." })
@Directive('@key(fields: "id")')
@Directive('@key(fields: "title edition")')
@Directive('@key(fields: "title mark { room }")')
@Directive("@audited")
class Book {
  @Field(() => String, { description: "Id." })
  id!: string;
  @Field(() => String, { description: "Title." })
  @Directive('@tag(name: "public")')
  title!: string;
  @Field(() => Int, { description: "Edition." })
  edition!: number;
  @Field(() => Mark, { description: "Where it stands." })
  mark!: Mark;
  @Field(() => Reader, { description: "Who has it." })
  @Directive('@provides(fields: "loans")')
  reader!: Reader;
}

@ObjectType({ description: "An interface of another subgraph, to which this one adds a field." })
@Directive('@key(fields: "id")')
@Directive("@interfaceObject")
class Document {
  @Field(() => String, { description: "Id." })
  id!: string;
  @Field(() => String, { description: "Title of the book that cites it." })
  citedBy!: string;
}

/** The reader of every book. */
export const READER = { email: "ada@example.org", name: "Ada of the library" };
export const BOOKS = [
  { id: "b1", title: "Ethics", edition: 2, mark: { room: "north", heightMm: 210 } },
  { id: "b2", title: "Optics", edition: 1, mark: { room: "south", heightMm: 180 } },
].map((book) => Object.assign(new Book(), book, { reader: Object.assign(new Reader(), READER, { loans: 3 }) }));

@Resolver()
class BookResolver {
  @Query(() => Book, { nullable: true, description: "A book by its id." })
  book(@Arg("id", () => String, { description: "Id." }) id: string): Book | null {
    return BOOKS.find((book) => book.id === id) ?? null;
  }
}

type BookKey = Partial<Book>;

/** A subgraph that uses every directive of the federation. */
export const { schema, sdl } = buildFederatedSchema(
  [BookResolver],
  {
    Book: async (key: BookKey) =>
      BOOKS.find(({ id, title, edition, mark }) =>
        key.id ? id === key.id : title === key.title && (edition === key.edition || mark.room === key.mark?.room),
      ) ?? null,
    Reader: async (key: Partial<Reader>) => Object.assign(new Reader(), { ...key, name: READER.name }),
    Document: async ({ id }: { readonly id: string }) => Object.assign(new Document(), { id, citedBy: "Ethics" }),
  },
  {
    entities: [Document],
    typeDirectives: { Mark: ['@tag(name: "public")'] },
    composedDirectives: [
      {
        directive: new GraphQLDirective({ name: "audited", locations: [DirectiveLocation.OBJECT] }),
        specUrl: "https://moraine.example/audited/v1.0",
      },
    ],
  },
);

const PEOPLE_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  type Reader @key(fields: "email") { email: String! name: String loans: Int @shareable years: Int }
  type Mark @shareable { room: String! }
  type Query { firstMark: Mark }`;

const ARCHIVE_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  interface Document @key(fields: "id") { id: String! }
  type Letter implements Document @key(fields: "id") { id: String! sender: String! }
  type Query { documents: [Document!]! }`;

function subgraph(name: string, text: string, resolvers: object): LocalSubgraph {
  return {
    name,
    schema: buildSubgraphSchema({ typeDefs: parse(text), resolvers: resolvers as never }),
    context: () => ({}),
  };
}

/** The library and two subgraphs that share its types. */
export const LIBRARY_SUBGRAPHS: readonly LocalSubgraph[] = [
  { name: "library", schema, context: () => ({}) },
  subgraph("people", PEOPLE_SDL, {
    Query: { firstMark: () => ({ room: "entrance" }) },
    Reader: { __resolveReference: (key: object) => ({ ...key, name: "Ada of the people", loans: 12, years: 4 }) },
  }),
  subgraph("archive", ARCHIVE_SDL, {
    Query: { documents: () => [{ __typename: "Letter", id: "l1", sender: "Ada" }] },
    Letter: { __resolveReference: (key: object) => ({ ...key, sender: "Ada" }) },
    Document: { __resolveReference: (key: object) => ({ ...key, __typename: "Letter" }) },
  }),
];

/** The supergraph of the three. */
export const librarySupergraph = (): string =>
  composeSupergraph([
    { name: "library", url: "http://library", sdl },
    { name: "people", url: "http://people", sdl: PEOPLE_SDL },
    { name: "archive", url: "http://archive", sdl: ARCHIVE_SDL },
  ]);
