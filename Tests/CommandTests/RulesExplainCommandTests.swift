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

        **Applies to**: numbers. For strings with `format: decimal` there are `formatMinimum` and its variants; `coffer rules
        check` warns of a bound for numbers beside that format.

        **Meaning**: JSON Schema Validation, 6.2.2 to 6.2.5. The comparison is exact for any number of digits.

        **Finding**: `minimum`, `maximum`, `exclusive-minimum` or `exclusive-maximum`, at the number.

        **Cost**: nothing is kept. Integers of up to 18 digits are compared directly, all others digit by digit. With `$data`,
        see that page.

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
          $schema                Names the dialect of a schema, which defines the meaning of its keywords.
          $id, $anchor           Give a schema a URI, or a name within its resource, for references.
          $ref                   Applies the schema that a URI reference names.

        """))
    #expect(
      run.output.contains(
        """

        Numbers
          minimum, maximum, exclusiveMinimum, exclusiveMaximum
                                 The number is at least, at most, more than or less than this.
          multipleOf             The number is an integer multiple of this one.

        Strings

        """))
  }

  @Test func `an unknown keyword ends with status 2`() async throws {
    let run = try await Command("rules", "explain", "tpye")
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(run.errors == "coffer: there is no keyword or code 'tpye'; did you mean 'type'?\n")
  }
}
