import Testing

@Suite struct RulesExplainCommandTests {
  @Test func `a keyword is explained`() async throws {
    let run = try await Command("rules", "explain", "maximum")
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(
      run.output == """
        # minimum, maximum, exclusiveMinimum, exclusiveMaximum

        The number is at least, at most, more than or less than this.

        **Value**: a number, or `{"$data": …}`, which names a number elsewhere in the document. Anything else is refused.

        **Applies to**: numbers.

        **Means**: Validation, 6.2.2 to 6.2.5. The comparison is exact, however many digits either number has.

        **Finding**: `minimum`, `maximum`, `exclusive-minimum` or `exclusive-maximum`, at the number.

        **Cost**: nothing is kept. Integers of up to 18 digits are compared as such, all others digit by digit. With
        `$data`, as that page says.

        **Example**

            {"properties": {"initialMileage": {"minimum": 0},
                            "currentMileage": {"minimum": {"$data": "1/initialMileage"}}}}

            {"initialMileage": 12000, "currentMileage": 11999.9}

            minimum /currentMileage

        **Example: numbers beyond 2^53**

            {"properties": {"id": {"maximum": 9007199254740993}}}

            {"id": 9007199254740994}

            maximum /id

        """)
  }

  @Test func `keywords are listed in groups`() async throws {
    let run = try await Command("rules", "explain")
    #expect(run.status == 0)
    #expect(
      run.output.hasPrefix(
        """
        References and dialects
          $schema                Says which dialect a schema is written in, and so what its keywords mean.
          $id, $anchor           Give a schema a URI, or a name within its resource, that references can use.
          $ref                   Applies the schema that a URI reference leads to.

        """))
    #expect(
      run.output.contains(
        """

        Numbers
          minimum, maximum, exclusiveMinimum, exclusiveMaximum
                                 The number is at least, at most, more than or less than this.
          multipleOf             The number is a whole multiple of this one.

        Strings

        """))
  }

  @Test func `an unknown keyword ends with status 2`() async throws {
    let run = try await Command("rules", "explain", "tpye")
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(run.errors == "coffer: there is no keyword 'tpye'; did you mean 'type'?\n")
  }
}
