"""Scala as the fronts must read it: what misleads one that counts braces without knowing strings and comments."""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    """A source and, for each definition in it, `qualified#kind`, first and last line."""

    text: str
    expected: list[tuple[str, int, int]]


SAMPLES = {
    "every kind": Sample(
        """\
package box

class Plain
abstract class Open[T <: Data](val width: Int)(implicit p: Parameters)
  extends Base(width) with HasBox[T]
trait Mixed { def f: Int }
case class Pair(a: Int, b: Int)
case object One extends Choice
sealed trait Choice
object Plain {
  class Inner { val x = 1 }
}
package object tools {
  val y = 2
}
final private class Hidden {
}
""",
        [
            ("Plain#class", 3, 3),
            ("Open#class", 4, 5),
            ("Mixed#trait", 6, 6),
            ("Pair#class", 7, 7),
            ("One#object", 8, 8),
            ("Choice#trait", 9, 9),
            ("Plain#object", 10, 12),
            ("Plain.Inner#class", 11, 11),
            ("tools#package_object", 13, 15),
            ("Hidden#class", 16, 17),
        ],
    ),
    "braces in strings and characters": Sample(
        """\
class A {
  val open = "{{{ class No {"
  val escaped = "\\" { \\\\"
  val one = '{'
  val quote = '"'
  val back = '\\\\'
  val code = '\\u007b'
  val symbol = 'name
}
class B
""",
        [("A#class", 1, 9), ("B#class", 10, 10)],
    ),
    "triple strings": Sample(
        '''\
class A {
  val raw = """ } " "" class No { \\"""
}
class B { val four = """ends with a quote """" }
class C
''',
        [("A#class", 1, 3), ("B#class", 4, 4), ("C#class", 5, 5)],
    ),
    "interpolation": Sample(
        '''\
class A {
  val plain = s"$open { ${if (x) "}" else s"${"{"} $$"} class No"
  val triple = f"""${Map("a" -> { 1 })} } $b%d"""
  def made = cf"${new Inner().x}"
}
class B
''',
        [("A#class", 1, 5), ("B#class", 6, 6)],
    ),
    "comments": Sample(
        """\
/** class No { */
class A { // class Neither {
  /* outer { /* inner { */ class Nor } */
  val a = 1 /* } */
} // }
class B
""",
        [("A#class", 2, 5), ("B#class", 6, 6)],
    ),
    "annotations and modifiers": Sample(
        """\
@deprecated("use B {", "1.0")
private[box] final class A(
  x: Int
) extends B {
}
@chiselName class C
""",
        [("A#class", 1, 5), ("C#class", 6, 6)],
    ),
    "no body before a body": Sample(
        """\
class Marker
class Real {
  val x = 1
}
object Empty extends App
""",
        [("Marker#class", 1, 1), ("Real#class", 2, 4), ("Empty#object", 5, 5)],
    ),
    "parameters on the next line": Sample(
        """\
case class Range
(
  low: Int,
  high: Int
)

class After
""",
        [("Range#class", 1, 5), ("After#class", 7, 7)],
    ),
    "parents on the next line": Sample(
        """\
class A extends
  B with
  C {
  val x = 1
}
class D(
  x: Int
)
  extends A
""",
        [("A#class", 1, 5), ("D#class", 6, 9)],
    ),
    "anonymous classes belong to what is around": Sample(
        """\
class Outer {
  lazy val module = new LazyModuleImp(this) {
    val io = IO(new Bundle { val in = Input(Bool()) })
    class Inner
  }
}
""",
        [("Outer#class", 1, 6), ("Outer.Inner#class", 4, 4)],
    ),
    "indented bodies": Sample(
        """\
object Top:
  class Inner:
    val x = 1

    val y = 2
  val z = 3

class Next
""",
        [("Top#object", 1, 6), ("Top.Inner#class", 2, 5), ("Next#class", 8, 8)],
    ),
    "an enum": Sample(
        """\
enum Colour:
  case Red, Green

class After
""",
        [("Colour#enum", 1, 2), ("After#class", 4, 4)],
    ),
    "names in backquotes and with dollars": Sample(
        "class `type` { }\nobject Two$Parts { }\n", [("type#class", 1, 1), ("Two$Parts#object", 2, 2)]
    ),
    "letters beyond ASCII before a definition": Sample(
        "// größer, 模块 {\nclass Ä { val ü = 1 }\nclass B\n", [("Ä#class", 2, 2), ("B#class", 3, 3)]
    ),
}

NAMES = """\
class Core(val width: Int, depth: Int = 3)(implicit p: Parameters) extends Base(width) with box.HasBox[Data] {
  val io = IO(new Bundle { val in = Input(UInt(3.W)) })
  val alu, mul = Module(new ALU(width))
  val (first, second) = Pair.unapply(alu)
  val idle :: busy :: Nil = Enum(2)
  val Seq(low, high) = Helper.split(io.in)
  var count: Int = 0
  def step(by: Int) = count + by
  class Lane extends Base(1) { val deep = new Queue(2) } // Mentioned
}
"""
